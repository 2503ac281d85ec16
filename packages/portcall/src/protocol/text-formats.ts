import { isUrl } from '../../../util/src/parse-url.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,12})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/** The formats of texts that forms have. */
export type TextFormat = 'email' | 'uri' | 'date' | 'date-time'

/** Reports whether a text has a format. */
export const FORMAT_CHECKS: { readonly [F in TextFormat]: (text: string) => boolean } = {
  email: (text) =>
    text.length <= 320 && /^[^\s@"(),:;<>[\\\]]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(text) && !/^\.|\.\.|\.@/.test(text),
  uri: (text) =>
    /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(text) && !/[<>"{}|\\^`]|%(?![0-9A-Fa-f]{2})/.test(text) && isUrl(text),
  date: isDate,
  'date-time': (text) => isDate(text.slice(0, 10)) && /t/i.test(text.charAt(10)) && TIME.test(text.slice(11)),
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day >= 1 && day <= (month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31)
}

/** Reports whether a value names one of the formats. */
export const isFormat = (value: unknown): value is TextFormat => typeof value === 'string' && Object.hasOwn(FORMAT_CHECKS, value)
