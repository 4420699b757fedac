// A package that the extension's code imports and the code under test never uses.
const nothing = new Proxy(function () {}, { get: () => nothing, apply: () => nothing, construct: () => ({}) });
module.exports = nothing;
