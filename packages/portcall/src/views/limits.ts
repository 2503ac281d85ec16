/** Limits that hosts have for views. */

/** The number of characters above which Claude replaces a result by the pointer to a file, so that the view stays empty. */
export const MAX_RESULT_CHARACTERS = 150_000

/** The size above which hosts show a view late, or not at all. */
export const MAX_PAGE_BYTES = 500_000
