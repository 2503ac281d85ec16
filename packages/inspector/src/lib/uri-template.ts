import { expandTemplate } from '../../../portcall/src/schema/uri-template/expand.ts'
import { namesOfVariables, parseTemplateParts, type TemplatePart } from '../../../portcall/src/schema/uri-template/parse.ts'

/** Returns the names of the variables of a URI template (RFC 6570), in order and once each. An invalid template has none. */
export function templateVariables(template: string): string[] {
  return namesOfVariables(partsOf(template))
}

/** Expands a URI template with texts. Empty texts count as no value. An invalid template is its own expansion. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  return partsOf(template).length === 0 ? template : expandTemplate(template, filled)
}

function partsOf(template: string): TemplatePart[] {
  try {
    return parseTemplateParts(template)
  } catch {
    return []
  }
}
