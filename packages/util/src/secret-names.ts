/** Decides which names of members, headers, parameters and variables have secrets as their values. Nothing else may. */
import { setLru } from './lru.ts'

/** Parts of the names of secrets, in lower case and without separators. */
const SECRET_PART =
  /pass(?:word|wd|phrase|code)|secret|token|credential|authorization|cookie|sessionid|clientassertion|codeverifier|devicecode|requeststate|connectionstring|webhookurl|(?:recovery|backup)code|seedphrase|(?:api|access|account|app|auth|consumer|decryption|deploy|encryption|functions|gpg|hmac|master|pgp|private|rsa|secret|service|servicerole|session|shared|sharedaccess|signing|ssh|subscription|webhook)key/
/** Words that are too short to be looked for inside others: a secret is the value of a name that ends with one. */
const SECRET_WORD = /(?:^|[^a-z0-9])(?:pwd|pass|pin|otp|totp|psk|auth|jwt|sid|sas|dsn|cvv|cvc|ssn|dpop)\d{0,4}$/
/** Parts that contain such words, and are not secrets: members of MCP, of pages of lists and of the APIs of models, and other words. */
const HARMLESS_PART =
  /(?:progress|page|continuation|sync|start|end|stop|special|bos|eos|pad|unk|mask|sep|cls)token|(?<!access|refresh|auth|api|bearer|session|secret|csrf|device|id)tokens|tokeni[sz]|passwordless|secretar/g
/** Ends of names that describe a secret, and do not hold it. */
const HARMLESS_END =
  /(?:supported|required|enabled|endpoint|methods?|alg|algs|algorithms?|types?|typehint|kinds?|formats?|counts?|limits?|budget|usage|expir(?:es|y|ation)(?:at|in|on|date|time)?|ttl|ttlms|lifetime|maxage|policy|length|names?|schemes?|servers?|issuers?|(?:token|authorization)ur[il])$/
/** The variables of a shell that hold a folder. */
const FOLDER_VARIABLE = /^(?:OLD)?PWD$/

/** Parameters of a query or a form whose values are secrets there, and often not elsewhere. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['code', 'assertion', 'sig', 'signature', 'samlresponse'])

const MAX_NAME_LENGTH = 256
const MAX_REMEMBERED = 2000
const known = new Map<string, boolean>()

/** Reports whether the value of a member, a header or an environment variable is a secret because of its name. */
export function isSecretName(name: string): boolean {
  const remembered = known.get(name)
  if (remembered !== undefined) return remembered
  const half = MAX_NAME_LENGTH / 2
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, half)}-${name.slice(-half)}` : name
  const isSecret = judge(short)
  if (short === name) setLru(known, [name, isSecret], MAX_REMEMBERED)
  return isSecret
}

/** Does the same for the parameters of a query, a form, or a message of OAuth, where more names belong to secrets. */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || SECRET_PARAMETERS.has(normalizeName(name.slice(0, MAX_NAME_LENGTH)))
}

/** Reports whether a name says that its value is a secret only by its last word, such as `pin`. In prose such a word means little. */
export function isShortSecretName(name: string): boolean {
  return !SECRET_PART.test(normalizeName(name.slice(-MAX_NAME_LENGTH)))
}

/** Returns the name in lower case, without anything but letters and digits. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function judge(name: string): boolean {
  if (FOLDER_VARIABLE.test(name)) return false
  const plain = normalizeName(name)
  if (HARMLESS_END.test(plain)) return false
  return SECRET_PART.test(plain.replace(HARMLESS_PART, ' ')) || SECRET_WORD.test(toWords(name))
}

/** Separates the words of a name: `dbPass` becomes `db-pass`. */
function toWords(name: string): string {
  return name
    .replace('OAuth', 'Oauth')
    .replace('DPoP', 'Dpop')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
}
