import { join } from 'node:path'
import { PAGES, SECTIONS } from '../../lib/contents.mjs'
import { filesBelow } from '../../lib/files.mjs'
import { ROOT, readText } from '../../lib/paths.mjs'

const API = join(ROOT, 'docs', 'reference', 'api')

/** The sections that the top of each page links to. The others are in a menu there. */
const AT_THE_TOP = ['Get started', 'Servers', 'Clients', 'Reference']

/** The pages that TypeDoc writes: the name of the file, and its title. */
const MODULES = filesBelow(API, '.md')
  .map((path) => path.slice(API.length + 1, -'.md'.length))
  .filter((name) => name !== 'README')
  .map((name) => ({ name, title: /^# (.*)$/m.exec(readText(join(API, `${name}.md`)))?.[1] ?? name }))
  .sort((one, other) => (one.title < other.title ? -1 : 1))

const API_PAGES = {
  text: 'API reference',
  link: '/reference/api/',
  collapsed: true,
  items: MODULES.map(({ name, title }) => ({ text: title, link: `/reference/api/${name}` })),
}

export const SIDEBAR = SECTIONS.map(({ title, folder, pages }) => ({
  text: title,
  collapsed: false,
  items: [...(folder === 'reference' ? [API_PAGES] : []), ...pages.map(([name, text]) => ({ text, link: `/${folder}/${name}` }))],
}))

const linkTo = ({ title, folder, pages: [[first]] }) => ({
  text: title,
  link: `/${folder}/${first}`,
  activeMatch: `^/${folder}/`,
})
const isAtTheTop = ({ title }) => AT_THE_TOP.includes(title)

export const NAV = [
  ...SECTIONS.filter(isAtTheTop).map(linkTo),
  { text: 'More', items: SECTIONS.filter((section) => !isAtTheTop(section)).map(linkTo) },
]

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns what the site adds to a page: its description, and no link to edit what is generated. */
export function pageOf(filePath) {
  const page = PAGES.find(({ path }) => `${path}.md` === filePath)
  if (page) return { description: `${capitalized(page.description)}.` }
  const { title } = MODULES.find(({ name }) => filePath === `reference/api/${name}.md`) ?? {}
  const isGenerated = filePath.startsWith('reference/api/')
  return isGenerated
    ? {
        description: `The API of ${title ?? 'all modules'}.`,
        frontmatter: { editLink: false, lastUpdated: false, pageClass: 'api-reference' },
      }
    : {}
}
