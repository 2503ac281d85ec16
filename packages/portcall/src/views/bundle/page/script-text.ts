/** Puts scripts and style sheets into elements, without ending these. */

/** A `<` in strings, templates and regular expressions. */
const ESCAPED = '\\x3C'

/**
 * Escapes what would end a script element. In modules, `</script` and `<!--` appear only in strings, templates and regular expressions, where an
 * escape means the same.
 */
export function escapeScript(code: string): string {
  return code.replace(/\\<(?=\/script|!--)|\\[\s\S]|<(?=\/script|!--)/gi, (found) => (found.endsWith('<') ? ESCAPED : found))
}

/** Escapes a classic script, in which a line may also start with `<!--`: a comment, as `//`. */
export function escapeClassicScript(code: string): string {
  return escapeScript(code.replace(/^([ \t]*)<!--/gm, '$1//'))
}

/** Escapes what would end a style element. */
export function escapeStyle(css: string): string {
  return css.replace(/<(?=\/style)/gi, '\\3C ')
}

const SOURCE_MAP = /^[ \t]*(?:\/\/|\/\*)[#@][ \t]*sourceMappingURL=.*$/gm

/** Returns a text without the comments that name its source map, and without a byte order mark. */
export function withoutSourceMap(text: string): string {
  return text.replace(/^\ufeff/, '').replace(SOURCE_MAP, '')
}

const STATIC_IMPORT = /(?:^|[;}])[ \t]*(?:import|export)\b(?:[^;"'()=]{0,2000}\bfrom)?[ \t\r\n]{0,20}["']([^"'\r\n]+)["']/gm
const DYNAMIC_IMPORT = /\bimport[ \t]{0,20}\([ \t\r\n]{0,20}["']([^"'\r\n]+)["']/g
const EXPORT = /^export[ \t]+(?:default|const|let|var|function|class|async|\{)/m

/** Returns what a script imports with statements. */
export const staticImportsOf = (code: string): readonly string[] => [...code.matchAll(STATIC_IMPORT)].map(([, from = '']) => from)

/** Returns what a script imports while it runs. */
export const dynamicImportsOf = (code: string): readonly string[] =>
  [...code.matchAll(DYNAMIC_IMPORT)].map(([, from = '']) => from)

/** Reports whether a script can only be a module. */
export const isModuleCode = (code: string): boolean => staticImportsOf(code).length > 0 || EXPORT.test(code)
