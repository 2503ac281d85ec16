/** Divides what was typed so far into words, as a shell does: quotes and backslashes; the last word is the one that is being typed. */
export function wordsOf(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (const [token] of line.matchAll(/\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|\s+|[^\\'"\s]+|\\$/gs)) {
    if (/^\s/.test(token)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + bare(token)
  }
  return [...words, word ?? '']
}

function bare(token: string): string {
  if (token.startsWith("'")) return token.replace(/^'|'$/g, '')
  if (token.startsWith('"')) return token.replace(/^"|"$/g, '').replace(/\\(["\\$`])/g, '$1')
  return token.startsWith('\\') ? token.slice(1) : token
}
