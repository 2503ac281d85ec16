import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { slugOf } from '../../lib/markdown.mjs'
import { bracesAsText } from '../lib/braces.mjs'
import { REPOSITORY, SITE, socialTags } from '../lib/head.mjs'
import { htmlOfPages } from '../lib/html.mjs'
import { linksToSite } from '../lib/links.mjs'
import { mermaidFences } from '../lib/mermaid.mjs'
import { NAV, pageOf, SIDEBAR } from '../lib/navigation.mjs'
import { SEARCH } from '../lib/search.mjs'

const HOME = fileURLToPath(new URL('..', import.meta.url))
const BASE = process.env.DOCS_BASE ?? '/portcall/'

export default defineConfig({
  title: 'Portcall',
  titleTemplate: ':title · Portcall',
  description: 'Build MCP servers and clients in TypeScript. One handler serves every protocol version, transport and runtime.',
  lang: 'en',
  base: BASE,
  srcDir: join('..', '..', 'docs'),
  // docs/README.md is the index that GitHub shows. The home page of the site is docs/index.md.
  srcExclude: ['README.md'],
  rewrites: { 'reference/api/README.md': 'reference/api/index.md' },
  outDir: 'dist',
  cleanUrls: true,
  lastUpdated: true,
  sitemap: { hostname: SITE },
  head: [
    ['link', { rel: 'icon', href: `${BASE}favicon.svg`, type: 'image/svg+xml' }],
    ['meta', { name: 'theme-color', content: '#0f766e' }],
  ],
  transformHead: ({ pageData, title, description }) => socialTags(pageData, title, description),
  transformPageData: (pageData) => pageOf(pageData.filePath),
  markdown: {
    theme: { light: 'github-light', dark: 'github-dark' },
    // As on GitHub, so that the anchors in the pages work there and here.
    anchor: { slugify: slugOf },
    config: (md) => md.use(htmlOfPages).use(bracesAsText).use(linksToSite).use(mermaidFences),
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: NAV,
    sidebar: SIDEBAR,
    outline: { level: [2, 3] },
    search: { provider: 'local', options: SEARCH },
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: 'Edit this page on GitHub' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    lastUpdated: { formatOptions: { dateStyle: 'medium', forceLocale: true } },
    notFound: {
      title: 'Page not found',
      quote: 'There is no page at this address. Search for what you need, or start from the home page.',
      linkLabel: 'Go to the home page',
      linkText: 'Go to the home page',
    },
    footer: {
      message: `<a href="${REPOSITORY}/blob/main/CHANGELOG.md">Changelog</a> · <a href="${REPOSITORY}/blob/main/SECURITY.md">Security policy</a> · <a href="${REPOSITORY}/blob/main/CONTRIBUTING.md">Contributing</a>`,
      copyright: 'Released under the MIT license.',
    },
  },
  vite: {
    publicDir: join(HOME, 'public'),
    resolve: { alias: { mermaid: join(dirname(createRequire(import.meta.url).resolve('mermaid')), 'mermaid.esm.min.mjs') } },
    // Mermaid is loaded only by pages with a diagram.
    build: { chunkSizeWarningLimit: 3000 },
  },
})
