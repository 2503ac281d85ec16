/** Views that are described as data. The server writes a description into a page; the script of the page reads it. */

/** The kind of the values of a column. */
export type ValueKind = 'text' | 'number' | 'date' | 'link' | 'badge'

/** How the values of a key are shown. */
export interface ShownValue {
  /** The key in the data. */
  readonly key: string
  /** The title. */
  readonly title: string
  /** The kind. Absent: as the values are. */
  readonly kind?: ValueKind
  /** The number of decimal places. */
  readonly digits?: number
  /** Shown after numbers. */
  readonly unit?: string
  /** False if people cannot sort by it. */
  readonly sortable?: boolean
}

/** A table. */
export interface TableSpec {
  readonly kind: 'table'
  readonly title?: string
  readonly rows?: string
  readonly columns?: readonly ShownValue[]
  readonly search: boolean
  readonly pageSize: number
  readonly empty: string
}

/** A chart. */
export interface ChartSpec {
  readonly kind: 'chart'
  readonly title?: string
  readonly type: 'bar' | 'line' | 'pie'
  readonly rows?: string
  readonly x?: string
  readonly y?: readonly ShownValue[]
  readonly stacked: boolean
  readonly unit?: string
}

/** A field of a form. */
export interface FieldSpec {
  readonly name: string
  readonly title: string
  readonly type:
    | 'text'
    | 'lines'
    | 'list'
    | 'email'
    | 'url'
    | 'date'
    | 'datetime'
    | 'time'
    | 'number'
    | 'flag'
    | 'choice'
    | 'choices'
  readonly help?: string
  readonly placeholder?: string
  readonly required: boolean
  readonly hidden?: boolean
  readonly default?: unknown
  /** The values to choose from. */
  readonly options?: readonly OptionSpec[]
  readonly integer?: boolean
  readonly min?: number
  readonly max?: number
  readonly step?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** A form, which calls a tool. */
export interface FormSpec {
  readonly kind: 'form'
  readonly title?: string
  readonly tool: string
  readonly submit: string
  readonly done?: string
  readonly fields: readonly FieldSpec[]
}

/** Something to choose. */
export interface OptionSpec {
  readonly value: string | number | boolean
  readonly title: string
  readonly description?: string
}

/** A question with answers to choose from. */
export interface ChoiceSpec {
  readonly kind: 'choice'
  readonly title?: string
  readonly prompt: string
  readonly options?: string
  readonly multiple: boolean
  readonly submit: string
  readonly tool?: string
  readonly argument: string
  readonly include: readonly string[]
}

/** A button that calls a tool. */
export interface ActionSpec {
  readonly title: string
  readonly tool?: string
}

/** A proposal to approve or to deny. */
export interface ApprovalSpec {
  readonly kind: 'approval'
  readonly title?: string
  readonly prompt: string
  readonly details?: readonly ShownValue[]
  readonly include?: readonly string[]
  readonly approve: ActionSpec
  readonly deny: ActionSpec
  readonly danger: boolean
}

/** A view that is described as data. */
export type DescribedSpec = TableSpec | ChartSpec | FormSpec | ChoiceSpec | ApprovalSpec

/** The id of the element of the page that holds the description. */
export const SPEC_ID = 'spec'
