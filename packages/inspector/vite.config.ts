import { defineConfig } from 'vite'

/** Every file that the page needs is its own: nothing is inlined, because the content security policy forbids inline scripts and styles. */
export default defineConfig({
  base: './',
  // The policy of the page allows no data: URLs for scripts and styles.
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.json' },
    rolldownOptions: { output: { assetFileNames: 'assets/[name]-[hash][extname]' } },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
