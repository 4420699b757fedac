// What the extension's code needs of an editor: places, findings, addresses. Everything else is there and does nothing.
const nothing = new Proxy(function () {}, { get: () => nothing, apply: () => nothing, construct: () => ({}) });
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
    constructor(...places) {
        const [start, end] = places.length === 2 ? places
            : [new Position(places[0], places[1]), new Position(places[2], places[3])];
        Object.assign(this, { start, end });
    }
}
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
const { URI: Uri } = require('vscode-uri');
const known = { Position, Range, Diagnostic, DiagnosticSeverity, Uri, Disposable: class {} };
module.exports = new Proxy(known, { get: (had, name) => had[name] ?? nothing });
