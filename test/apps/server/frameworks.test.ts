import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildView } from 'portcall/apps/server'
import { afterAll, expect, test } from 'vitest'

const WORK = fileURLToPath(new URL('../node_modules/.cache/frameworks/', import.meta.url))
afterAll(() => rmSync(WORK, { recursive: true, force: true }))

const pluginConfig = (module: string, imported = 'plugin') =>
  `import ${imported === 'plugin' ? 'plugin' : `{ ${imported} as plugin }`} from '${module}'\nexport default { plugins: [plugin()] }`

/** A view of each framework: its files, the first of which is the entry. */
const VIEWS: { readonly [framework: string]: { readonly [file: string]: string } } = {
  vanilla: { 'view.ts': "import './a.css'\ndocument.body.append(`Chart ${1 as number}`)", 'a.css': '.a { color: red }' },
  react: {
    'view.tsx':
      "import { useState } from 'react'\nimport { createRoot } from 'react-dom/client'\nfunction Chart() { const [n] = useState(1); return <p>Chart {n}</p> }\ncreateRoot(document.getElementById('root')!).render(<Chart />)",
    'vite.config.ts': pluginConfig('@vitejs/plugin-react'),
  },
  preact: {
    'view.tsx':
      "/** @jsxImportSource preact */\nimport { render } from 'preact'\nrender(<p>Chart</p>, document.getElementById('root')!)",
  },
  vue: {
    'index.html':
      '<!doctype html><html><head></head><body><div id="app"></div><script type="module" src="./main.ts"></script></body></html>',
    'main.ts': "import { createApp } from 'vue'\nimport App from './App.vue'\ncreateApp(App).mount('#app')",
    'App.vue': "<script setup lang='ts'>const n: number = 1</script><template><p>Chart {{ n }}</p></template>",
    'vite.config.ts': pluginConfig('@vitejs/plugin-vue'),
  },
  svelte: {
    'view.ts': "import { mount } from 'svelte'\nimport App from './App.svelte'\nmount(App, { target: document.body })",
    'App.svelte': '<p>Chart</p><style>p { color: red }</style>',
    'vite.config.ts': pluginConfig('@sveltejs/vite-plugin-svelte', 'svelte'),
  },
  solid: {
    'view.tsx': "import { render } from 'solid-js/web'\nrender(() => <p>Chart</p>, document.getElementById('root')!)",
    'tsconfig.json': '{ "compilerOptions": { "jsx": "preserve", "jsxImportSource": "solid-js" } }',
    'vite.config.ts': pluginConfig('vite-plugin-solid'),
  },
}

/** With rolldown alone: what needs no plugin. */
const WITHOUT_PLUGIN = ['vanilla', 'react', 'preact']
const BUILDS = Object.keys(VIEWS).flatMap((framework) =>
  (['vite', 'rolldown'] as const).flatMap((bundler) =>
    bundler === 'vite' || WITHOUT_PLUGIN.includes(framework) ? [[framework, bundler] as const] : [],
  ),
)

test.each(BUILDS)('a view with %s is one file with %s', async (framework, bundler) => {
  const folder = join(WORK, framework, bundler)
  const files = Object.entries(VIEWS[framework] ?? {})
  for (const [file, content] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
  const entry = join(folder, files[0]?.[0] ?? '')
  const { html, warnings } = await buildView(entry, { bundler })
  expect(warnings).toEqual([])
  expect(html.match(/<script type="module">/g)).toHaveLength(1)
  expect(html).toContain('Chart')
  expect(html).not.toMatch(/<link\b[^>]*stylesheet|<script\b[^>]*\bsrc=|@vite\/client|localhost|\beval\(|new Function\(/)
  expect((await buildView(entry, { bundler })).html).toBe(html)
})

test.each(['vue', 'svelte'])('rolldown alone says that %s needs Vite', async (framework) => {
  const folder = join(WORK, framework, 'alone')
  mkdirSync(folder, { recursive: true })
  for (const [file, content] of Object.entries(VIEWS[framework] ?? {})) writeFileSync(join(folder, file), content)
  const entry = join(folder, Object.keys(VIEWS[framework] ?? {})[0] ?? '')
  await expect(buildView(entry, { bundler: 'rolldown' })).rejects.toThrow('needs vite and its plugin')
})
