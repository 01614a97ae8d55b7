/** Proxy regions, ISO 3166-1 alpha-2. */
export const REGIONS = [
	{ code: 'US', name: 'United States' },
	{ code: 'GB', name: 'United Kingdom' },
	{ code: 'DE', name: 'Germany' },
	{ code: 'FR', name: 'France' },
	{ code: 'ES', name: 'Spain' },
	{ code: 'IT', name: 'Italy' },
	{ code: 'NL', name: 'Netherlands' },
	{ code: 'PL', name: 'Poland' },
	{ code: 'CA', name: 'Canada' },
	{ code: 'BR', name: 'Brazil' },
	{ code: 'JP', name: 'Japan' },
	{ code: 'AU', name: 'Australia' },
	{ code: 'IN', name: 'India' },
	{ code: 'SG', name: 'Singapore' },
] as const;
