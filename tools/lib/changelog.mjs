/** The headings of a release by the kind of its changes; before 1.0, a minor version may change the API. */
const HEADINGS = { major: 'Breaking changes', minor: 'Added and changed', patch: 'Fixed' }

const indented = (line, index) => (index === 0 ? `- ${line}` : line && `  ${line}`)
const item = ({ summary }) => summary.trim().split('\n').map(indented).join('\n')

/** Returns a changelog with a section for a release in front of the others. */
export function addRelease(changelog, { name, newVersion }, changesets) {
  const typeIn = ({ releases }) => releases.find((release) => release.name === name)?.type
  const parts = Object.entries(HEADINGS).map(([type, heading]) => {
    const items = changesets.filter((changeset) => typeIn(changeset) === type).map(item)
    return items.length ? `### ${heading}\n\n${items.join('\n')}\n\n` : ''
  })
  const before = changelog.search(/^## /m)
  const at = before < 0 ? changelog.length : before
  return `${changelog.slice(0, at)}## ${newVersion}\n\n${parts.join('')}${changelog.slice(at)}`
}

/** Returns what a changelog says about a version, without the heading. Empty if it says nothing. */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((one) => one.split(/\s/, 1)[0] === version)
  return section?.slice(section.indexOf('\n')).trim() ?? ''
}
