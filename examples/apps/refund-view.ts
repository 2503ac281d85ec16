/** The view of the form. */
import { type AppTools, applyDefaultStyles, connectApp } from 'portcall/apps'
import type { server } from './refund.ts'

document.title = 'Refund'
document.documentElement.lang = 'en'
document.body.innerHTML = `
<style>
  form { padding: 20px; display: grid; gap: 16px; max-width: 480px; box-sizing: border-box; }
  h1 { margin: 0; font-size: var(--font-heading-md-size); line-height: var(--font-heading-md-line-height); }
  p { margin: 4px 0 0; font-size: var(--font-text-sm-size); line-height: var(--font-text-sm-line-height); color: var(--color-text-secondary); }
  label { display: grid; gap: 6px; font-size: var(--font-text-sm-size); font-weight: var(--font-weight-medium); }
  input, textarea { box-sizing: border-box; width: 100%; min-height: 44px; padding: 10px 12px; font-size: 1rem; font-weight: var(--font-weight-normal); border: 1px solid var(--color-text-tertiary); border-radius: var(--border-radius-md); background: var(--color-background-primary); }
  textarea { min-height: 76px; resize: vertical; }
  small { font-weight: var(--font-weight-normal); color: var(--color-text-tertiary); }
  .actions { display: flex; flex-wrap: wrap; gap: 8px; }
  button { min-height: 44px; padding: 0 18px; border: 1px solid var(--color-border-primary); border-radius: var(--border-radius-md); background: transparent; font-size: var(--font-text-sm-size); font-weight: var(--font-weight-medium); cursor: pointer; flex: 1 1 120px; }
  button.primary { background: var(--color-background-inverse); color: var(--color-text-inverse); border-color: transparent; }
  button:hover:enabled { filter: brightness(0.95); } button:disabled { cursor: default; opacity: 0.5; }
  [role=status]:not(:empty) { padding: 12px; border-radius: var(--border-radius-md); font-size: var(--font-text-sm-size); }
  .done { color: var(--color-text-success); background: var(--color-background-success); }
  .failed { color: var(--color-text-danger); background: var(--color-background-danger); }
  .declined { color: var(--color-text-secondary); background: var(--color-background-secondary); }
</style>
<main><form>
  <div><h1>Refund</h1><p></p></div>
  <label>Amount in euros<input name="amount" type="number" inputmode="decimal" min="0.01" step="0.01" required><small></small></label>
  <label>Reason<textarea name="reason" required></textarea></label>
  <div class="actions"><button type="button" class="primary">Approve</button><button type="button">Decline</button></div>
  <div role="status"></div>
</form></main>`

applyDefaultStyles()
const form = document.querySelector('form') as HTMLFormElement
const find = <E extends Element>(selector: string) => form.querySelector(selector) as E
const [amount, reason, status] = [find<HTMLInputElement>('input'), find<HTMLTextAreaElement>('textarea'), find('[role=status]')]
const setEnabled = (isEnabled: boolean) => {
  for (const control of form.elements) (control as HTMLButtonElement).disabled = !isEnabled
}
const say = (kind: 'done' | 'failed' | 'declined' | '', text: string) => {
  status.className = kind
  status.textContent = text
}
setEnabled(false)

type Tools = AppTools<typeof server>
const app = await connectApp<Tools>({ name: 'refund', version: '1.0.0' })
const { structuredContent, isError, content } = await app.result
const proposal = structuredContent as Tools['propose_refund']['output']
if (isError) say('failed', String(content[0]?.text ?? 'There is no proposal'))
else {
  find('h1').textContent = `Refund for ${proposal.customer}`
  find('p').textContent = `Order ${proposal.order}, paid ${proposal.total.toFixed(2)} €`
  find('small').textContent = `At most ${proposal.total.toFixed(2)}`
  amount.max = String(proposal.total)
  amount.value = proposal.amount.toFixed(2)
  reason.value = proposal.reason
  if (proposal.isPaid) say('done', 'This order was refunded.')
  else setEnabled(true)
}

// Some hosts let no form submit, so the buttons do it.
const [approve, decline] = form.querySelectorAll('button')
if (approve) approve.onclick = () => form.reportValidity() && decide(true)
if (decline) decline.onclick = () => decide(false)
amount.onkeydown = ({ key }) => key === 'Enter' && approve?.click()

async function decide(isApproved: boolean): Promise<void> {
  const refund = { order: proposal.order, amount: amount.valueAsNumber, reason: reason.value }
  setEnabled(false)
  if (!isApproved) say('declined', 'Declined. Nothing was paid.')
  else {
    say('', '')
    const { structuredContent, isError, content } = await app.call('approve_refund', refund)
    if (isError) {
      say('failed', String(content[0]?.text))
      return setEnabled(true)
    }
    say('done', `${refund.amount.toFixed(2)} € refunded. Receipt ${structuredContent.receipt}.`)
  }
  const outcome = isApproved
    ? `approved ${refund.amount} euros for order ${refund.order}`
    : `declined the refund of order ${refund.order}`
  if (app.capabilities.updateModelContext) await app.updateContext(`The user ${outcome}`)
}
