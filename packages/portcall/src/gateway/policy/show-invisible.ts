/**
 * Characters that are not visible, or that change how others are displayed: control and format characters, default ignorable code points such
 * as tags and variation selectors, private use, and white space other than spaces and line feeds.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2800]|\s/gu

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

/** Replaces characters that are not visible by their code, such as `<U+200B>`. Spaces and line feeds stay. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character === ' ' || character === '\n' ? character : `<U+${codeOf(character)}>`,
  )
}

/** Escapes characters that are not visible in JSON text, which keeps its meaning. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE, (character) => (character === ' ' || character === '\n' ? character : escapeUnits(character)))
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
