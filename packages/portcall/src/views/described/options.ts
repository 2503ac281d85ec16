/** Options of the views that need no page of yours. */

import type { ValueKind } from '../../apps/described/spec.ts'
import type { Schema, StandardSchema } from '../../schema/standard.ts'
import type { ViewOptions } from '../options.ts'

/** Options that all of these views have: those of `view` that do not concern a page of yours. */
export type DescribedViewOptions = Pick<
  ViewOptions,
  'name' | 'title' | 'description' | 'border' | 'listed' | 'cache' | 'domain' | 'url' | 'hosts' | 'chatgpt'
>

/** A value of a result that is shown. */
export interface ShownKey<Key extends string = string> {
  /** The key in the data. */
  readonly key: Key
  /** The title. Default: made of the key. */
  readonly title?: string
  /** The kind of the values. Default: by the first value: numbers, ISO dates, `http` and `https` addresses, texts. */
  readonly kind?: ValueKind
  /** The number of decimal places. Default: as many as a number has, at most 3. */
  readonly digits?: number
  /** Shown after numbers, such as `€`. */
  readonly unit?: string
}

/** A column of a table. */
export interface TableColumn<Key extends string = string> extends ShownKey<Key> {
  /** True if people can sort by it. Default: true. */
  readonly sortable?: boolean
}

/** Options of `tableView`. */
export interface TableViewOptions<Key extends string = string> extends DescribedViewOptions {
  /** The key of the rows in the data: a list of objects. Default: the first such list. */
  readonly rows?: string
  /** The columns, by their key. Default: the keys of the first 50 rows. */
  readonly columns?: readonly (Key | TableColumn<Key>)[]
  /** True for a field that filters the rows. Default: true. */
  readonly search?: boolean
  /** The number of rows on a page. Default: 10. */
  readonly pageSize?: number
  /** The text for a table without rows. Default: `No rows`. */
  readonly empty?: string
}

/** Options of `chartView`. */
export interface ChartViewOptions<Key extends string = string> extends DescribedViewOptions {
  /** The kind of the chart. Default: `bar`. */
  readonly type?: 'bar' | 'line' | 'pie'
  /** The key of the rows in the data: a list of objects. Default: the first such list. */
  readonly rows?: string
  /** The key of the names of the values. Default: the first key that has no numbers. */
  readonly x?: Key
  /** The keys of the values: one for each series; a pie has one. Default: all keys with numbers. */
  readonly y?: Key | readonly (Key | ShownKey<Key>)[]
  /** True to put the bars of a name on top of each other. Default: false. */
  readonly stacked?: boolean
  /** Shown after the values, such as `€`. */
  readonly unit?: string
}

/** The looks of a field. */
export interface FormField {
  /** The title. Default: `title` of the schema, or made of the name. */
  readonly title?: string
  /** A sentence below the field. Default: `description` of the schema. */
  readonly help?: string
  /** Shown in the empty field. */
  readonly placeholder?: string
  /** True for a text of several lines. Default: for texts that may have more than 200 characters. */
  readonly multiline?: boolean
  /** True if the field is not shown: the tool gets its value from the data, or its default. */
  readonly hidden?: boolean
}

/** Options of `formView`. */
export interface FormViewOptions extends DescribedViewOptions {
  /** The tool that is called with what a person has entered. */
  readonly tool: string
  /** The input schema of this tool: the fields, their types and limits. */
  readonly input: Schema | StandardSchema
  /** The looks of fields, by name. */
  readonly fields?: { readonly [name: string]: FormField }
  /** The text of the button. Default: `Submit`. */
  readonly submit?: string
  /** The text after the tool has returned. Default: the text of its result. */
  readonly done?: string
}

/** Options of `choiceView`. */
export interface ChoiceViewOptions extends DescribedViewOptions {
  /** The key of the question in the data. Default: `prompt`. */
  readonly prompt?: string
  /** The key of the answers in the data: texts, or objects with `value`, `title` and `description`. Default: the first list. */
  readonly options?: string
  /** True if people can choose several. Default: false. */
  readonly multiple?: boolean
  /** The text of the button, with `multiple`. Default: `Choose`. */
  readonly submit?: string
  /** The tool that is called with the answer. Default: the answer is written into the conversation. */
  readonly tool?: string
  /** The argument of the tool that is the answer: its value, or a list with `multiple`. Default: `choice`. */
  readonly argument?: string
  /** The keys of the data that the tool gets too. Default: none. */
  readonly include?: readonly string[]
}

/** Options of `approvalView`. */
export interface ApprovalViewOptions<Key extends string = string> extends DescribedViewOptions {
  /** The key of the question in the data. Default: `prompt`. */
  readonly prompt?: string
  /** The keys of the data that are shown. Default: all that are no objects. */
  readonly details?: readonly (Key | ShownKey<Key>)[]
  /** The keys of the data that the tools get as arguments. Default: all. */
  readonly include?: readonly string[]
  /** The tool that is called when a person approves, and the text of the button. Default of the text: `Approve`. */
  readonly approve: string | DecisionButton
  /** The tool that is called when a person denies, and the text of the button. Default: none, and `Deny`. */
  readonly deny?: string | Partial<DecisionButton>
  /** True for a button in the color of danger. Default: false. */
  readonly danger?: boolean
}

/** A button of a decision. */
export interface DecisionButton {
  /** The tool that is called. */
  readonly tool: string
  /** The text of the button. */
  readonly title?: string
}
