const TEXT =
  /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|typescript|x-ndjson|jsonl|graphql|sql|x-sh)\b|^image\/svg\+xml\b/i

/** Reports whether content of a media type is text. */
export function isTextType(mimeType: string): boolean {
  return TEXT.test(mimeType)
}

/** Returns a media type without its parameters, in lower case; an empty text for none. */
export function essence(mediaType: string | null | undefined): string {
  return (mediaType?.split(';', 1)[0] ?? '').trim().toLowerCase()
}
