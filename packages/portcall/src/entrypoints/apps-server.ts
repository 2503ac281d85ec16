/** Views of tools (MCP Apps): pages that hosts show in the conversation. @module */

export type { ValueKind } from '../apps/described/spec.ts'
export type { AppTools, AppToolTypes, ToolAudience, ViewCsp, ViewPermissions } from '../protocol/apps.ts'
export type { TextToolView, ToolView } from '../server/tool-view.ts'
export type { BuildViewOptions, BuiltView } from '../views/build-options.ts'
export { buildView } from '../views/build-view.ts'
export { approvalView, chartView, choiceView, formView, tableView } from '../views/described/described-views.ts'
export type {
  ApprovalViewOptions,
  ChartViewOptions,
  ChoiceViewOptions,
  DecisionButton,
  DescribedViewOptions,
  FormField,
  FormViewOptions,
  ShownKey,
  TableColumn,
  TableViewOptions,
} from '../views/described/options.ts'
export { ViewError, type ViewErrorCode } from '../views/errors.ts'
export type { ChatgptOptions, ChatgptSecurityScheme, ViewOptions } from '../views/options.ts'
export { showsViews } from '../views/shows-views.ts'
export type { HtmlSource, ViewSource } from '../views/source.ts'
export { view } from '../views/view.ts'
