/** Views that need no page of yours: their options and the structured content of results say what they show. */
import { checkData } from '../../apps/described/read-data.ts'
import type { DescribedSpec } from '../../apps/described/spec.ts'
import { textOfData } from '../../apps/described/text.ts'
import type { ToolView } from '../../server/tool-view.ts'
import { checkViewOptions } from '../options.ts'
import { createMadePage } from '../page.ts'
import { bindable } from '../view.ts'
import type {
  ApprovalViewOptions,
  ChartViewOptions,
  ChoiceViewOptions,
  DescribedViewOptions,
  FormViewOptions,
  TableViewOptions,
} from './options.ts'
import { pageOfSpec } from './page-html.ts'
import { COMMON_NAMES, describeApproval, describeChart, describeChoice, describeForm, describeTable } from './specs.ts'

/**
 * Creates a view that shows rows as a table: people sort it, filter it and turn its pages. The rows are a list of objects in the structured content.
 *
 * @throws TypeError or RangeError for wrong options.
 * @example
 * server.tool('orders', { output, view: tableView({ columns: ['id', { key: 'total', unit: '€' }] }) }, listOrders)
 */
export const tableView = <Key extends string = string>(options: TableViewOptions<Key> = {}): ToolView =>
  createView('tableView()', options, describeTable)

/**
 * Creates a view that draws rows as bars, lines or a pie, with the data as a table beside it.
 *
 * @throws TypeError for wrong options.
 * @example
 * server.tool('sales', { output, view: chartView({ type: 'line', x: 'month', y: ['sales', 'costs'], unit: '€' }) }, listSales)
 */
export const chartView = <Key extends string = string>(options: ChartViewOptions<Key> = {}): ToolView =>
  createView('chartView()', options, describeChart)

/**
 * Creates a view with a form for the input of another tool. The structured content has the values that it starts with, by name.
 *
 * @throws TypeError for wrong options, and for an input that a form cannot fill in; SchemaError if the schema has no JSON Schema.
 * @example
 * server.tool('new_contact', { output: Contact.partial(), view: formView({ tool: 'save_contact', input: Contact }) }, () => ({}))
 */
export const formView = (options: FormViewOptions): ToolView => createView('formView()', options, describeForm)

/**
 * Creates a view that asks a person to choose. The structured content has the question and the answers; the choice goes to a tool, or into the conversation.
 *
 * @throws TypeError for wrong options.
 * @example
 * server.tool('pick_room', { output, view: choiceView({ tool: 'book_room', argument: 'room' }) }, findRooms)
 */
export const choiceView = (options: ChoiceViewOptions = {}): ToolView => createView('choiceView()', options, describeChoice)

/**
 * Creates a view that asks a person to approve or to deny what the structured content proposes. The tools get its members as arguments. Give them
 * `visibility: ['app']`, so that only a person calls them.
 *
 * @throws TypeError for wrong options.
 * @example
 * server.tool('propose_refund', { input, output, view: approvalView({ approve: 'pay_refund' }) }, proposeRefund)
 */
export const approvalView = <Key extends string = string>(options: ApprovalViewOptions<Key>): ToolView =>
  createView('approvalView()', options, describeApproval)

function createView<Options extends DescribedViewOptions>(
  where: string,
  options: Options,
  describe: (where: string, options: Options) => DescribedSpec,
): ToolView {
  const spec = describe(where, options)
  const given = Object.entries(options).filter(([name, value]) => value !== undefined && Object.hasOwn(COMMON_NAMES, name))
  const own = Object.fromEntries(given)
  checkViewOptions(where, own)
  return bindable({
    page: createMadePage(() => pageOfSpec(spec)),
    options: own,
    data: { check: (data) => checkData(spec, data), textOf: (data) => textOfData(spec, data) },
  })
}
