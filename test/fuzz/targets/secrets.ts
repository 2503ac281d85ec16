/** Text of others in logs and on pages: a key in it is found wherever it is, and a line stays one line without control characters. */
import { createMasker } from '../../../packages/util/src/mask-secrets.ts'
import { sanitizeLine, showInvisible } from '../../../packages/util/src/printable.ts'
import { BULLETS, replaceSecrets } from '../../../packages/util/src/secrets.ts'
import { check, splitInput } from './pieces.ts'

const KEY = `ghp_${'a1B2c3D4'.repeat(4)}efgh`
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

const mask = createMasker()
const replace = (text: string): string => replaceSecrets(text, () => BULLETS)

export function fuzz(data: Buffer): void {
  const [before, after] = splitInput(data).map(String) as [string, string]
  const text = `${before} ${KEY} ${after}`
  check(!replace(text).includes(KEY), 'a key is found in any text')
  check(!JSON.stringify(mask({ note: [text] })).includes(KEY), 'a key is found in any value')
  check(!CONTROL.test(sanitizeLine(text)), 'a line has no control characters')
  check(!CONTROL.test(showInvisible(text).replaceAll('\n', '')), 'characters that are not visible are shown')
}
