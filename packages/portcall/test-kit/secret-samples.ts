/** A secret, and a value that contains it. For tests. */
export interface SecretSample {
  readonly value: unknown
  readonly secret: string
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const DIGITS = '0123456789'
const LETTERS = `${UPPER}${UPPER.toLowerCase()}`
const HEX = '0123456789abcdef'

/** Returns random text with at least one digit. The same seed gives the same text. */
function createRandom(seed: number): (length: number, alphabet?: string) => string {
  let state = seed
  const next = (max: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * max)
  }
  return (length, alphabet = LETTERS + DIGITS) =>
    Array.from({ length }, (_, at) => (at === 3 && alphabet.includes('7') ? '7' : alphabet[next(alphabet.length)])).join('')
}

/** Returns 200 secrets: 40 kinds of them in 5 places. */
export function secretSamples(): SecretSample[] {
  const random = createRandom(42)
  const kinds: (() => string)[] = [
    () => `AKIA${random(16, UPPER + DIGITS)}`,
    () => `ASIA${random(16, UPPER + DIGITS)}`,
    () => random(40),
    () => `AIza${random(35)}`,
    () => `ya29.${random(60)}`,
    () => `GOCSPX-${random(28)}`,
    () => `ghp_${random(36)}`,
    () => `gho_${random(36)}`,
    () => `ghs_${random(36)}`,
    () => `github_pat_${random(22)}_${random(59)}`,
    () => `glpat-${random(20)}`,
    () => `xoxb-${random(12, DIGITS)}-${random(12, DIGITS)}-${random(24)}`,
    () => `xoxp-${random(12, DIGITS)}-${random(24)}`,
    () => `xapp-1-${random(11)}-${random(13, DIGITS)}-${random(40, HEX)}`,
    () => `sk_live_${random(24)}`,
    () => `rk_live_${random(24)}`,
    () => `whsec_${random(32)}`,
    () => `sk-proj-${random(48)}`,
    () => `sk-ant-api03-${random(60)}`,
    () => `hf_${random(34)}`,
    () => `npm_${random(36)}`,
    () => `pypi-${random(60)}`,
    () => `dckr_pat_${random(27)}`,
    () => `dop_v1_${random(64, HEX)}`,
    () => `shpat_${random(32, HEX)}`,
    () => `lin_api_${random(40)}`,
    () => `SG.${random(22)}.${random(43)}`,
    () => `SK${random(32, HEX)}`,
    () => `key-${random(32, HEX)}`,
    () => `${random(9, DIGITS)}:AA${random(33)}`,
    () => `M${random(24)}.${random(6)}.${random(38)}`,
    () => `ATATT3${random(60)}`,
    () => `NRAK-${random(27, UPPER + DIGITS)}`,
    () => `hvs.${random(24)}`,
    () => `glsa_${random(32)}_${random(8, HEX)}`,
    () => `eyJ${random(30)}.eyJ${random(60)}.${random(43)}`,
    () => `-----BEGIN PRIVATE KEY-----\n${random(64)}\n${random(64)}\n-----END PRIVATE KEY-----`,
    () => random(64, HEX),
    () => `EAAG${random(40)}`,
    () => `r8_${random(37)}`,
  ]
  const places: ((secret: string) => unknown)[] = [
    (secret) => ({ text: `Use ${secret} for this` }),
    (secret) => ({ headers: [{ name: 'Authorization', value: `Bearer ${secret}` }] }),
    (secret) => ({ config: { api_key: secret } }),
    (secret) => ({ [secret]: { nested: [secret] } }),
    (secret) => ({ body: JSON.stringify({ password: secret, other: 1 }) }),
  ]
  return kinds.flatMap((create) =>
    places.map((place) => {
      const secret = create()
      return { value: place(secret), secret: secret.includes('\n') ? secret.slice(28, 60) : secret }
    }),
  )
}
