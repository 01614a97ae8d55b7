const { BrowserAutomationApi } = require('./dist/credentials/BrowserAutomationApi.credentials.js');
const {
	BrowserAutomationSigningApi,
} = require('./dist/credentials/BrowserAutomationSigningApi.credentials.js');
const { BrowserAutomation } = require('./dist/nodes/BrowserAutomation/BrowserAutomation.node.js');
const {
	BrowserAutomationPollingTrigger,
} = require('./dist/nodes/BrowserAutomation/BrowserAutomationPollingTrigger.node.js');
const {
	BrowserAutomationTrigger,
} = require('./dist/nodes/BrowserAutomation/BrowserAutomationTrigger.node.js');

module.exports = {
	BrowserAutomation,
	BrowserAutomationApi,
	BrowserAutomationPollingTrigger,
	BrowserAutomationSigningApi,
	BrowserAutomationTrigger,
};
