jest.mock('n8n-workflow', () => jest.requireActual<{ lapsed(): object }>('./timeLapse').lapsed());
