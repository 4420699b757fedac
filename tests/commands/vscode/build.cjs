// node build.cjs CACHE OUTPUT: bundles driver.ts with the sources of the extension.
const path = require('path');
const [, , cache, outfile] = process.argv;
const { build } = require(path.join(cache, 'node_modules/esbuild'));
const real = new Set(['pddl-workspace', 'ai-planning-val', 'vscode-uri', 'tmp-promise']);
const builtin = new Set(require('module').builtinModules);
const sources = { 'extension': 'vscode-pddl/src' };
const resolver = {
    name: 'resolver',
    setup(builder) {
        builder.onResolve({ filter: /^[^.\/]/ }, args => {
            const [first, ...rest] = args.path.split('/');
            if (first in sources) { return { path: path.join(cache, sources[first], ...rest) + '.ts' }; }
            if (builtin.has(args.path) || args.path.startsWith('node:')) { return { path: args.path, external: true }; }
            if (first === 'vscode') { return { path: path.join(__dirname, 'vscode.cjs') }; }
            if (real.has(first)) { return { path: require.resolve(args.path, { paths: [cache] }) , external: true }; }
            return { path: path.join(__dirname, 'stub.cjs') };
        });
    },
};
build({
    entryPoints: [path.join(__dirname, 'driver.ts')], bundle: true, platform: 'node', format: 'cjs', outfile,
    plugins: [resolver], logLevel: 'error',
}).catch(() => process.exit(1));
