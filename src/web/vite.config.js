import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** How vite builds the web client; `scripts/prepare.js` and `scripts/dev.js` take it. */
export default {
  configFile: false,
  root: here,
  base: '/app/',
  publicDir: 'public',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // The first with light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    outDir: '../../dist/web',
    // Files of the build before stay for pages that are open; scripts/prepare.js removes older ones.
    emptyOutDir: false,
    // Nothing is written into the page or a script as a data: address, which the policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: 'build.json',
    rolldownOptions: {
      output: {
        // What the first load has in common with what is loaded later comes in one file, not in one for each way to share.
        codeSplitting: {
          groups: [{ name: 'base', test: /src\/web\/(router|session|state\/store|texts\/texts)\.ts$/ }],
        },
      },
    },
    // The list of emoji, which is loaded on demand, in kB.
    chunkSizeWarningLimit: 600,
  },
}
