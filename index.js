const { BrowserAutomationApi } = require('./dist/credentials/BrowserAutomationApi.credentials.js');
const { BrowserAutomation } = require('./dist/nodes/BrowserAutomation/BrowserAutomation.node.js');

module.exports = { BrowserAutomation, BrowserAutomationApi };
