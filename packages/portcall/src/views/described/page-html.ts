/** The pages of described views. */
import { escapeHtml } from '../../../../util/src/escape-html.ts'
import { type DescribedSpec, SPEC_ID } from '../../apps/described/spec.ts'

/** Returns the page of a view: it loads nothing else. Its script is in a module that the build makes, which is loaded when the first page is made. */
export async function pageOfSpec(spec: DescribedSpec): Promise<string> {
  const { default: script } = (await import('#described-page' as string)) as { default: string }
  const data = JSON.stringify(spec).replaceAll('<', '\\u003c')
  const title = escapeHtml(spec.title ?? 'View')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head><body><script type="application/json" id="${SPEC_ID}">${data}</script><script type="module">${script}</script></body></html>\n`
}
