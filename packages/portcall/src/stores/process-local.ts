/** Stores that other processes do not see. A symbol of the whole process, because a program and the CLI may load two copies of this package. */
const PROCESS_LOCAL = Symbol.for('portcall.processLocal')

/** Marks stores as visible to this process only. Copies of them with spread syntax are marked too. */
export const markProcessLocal = <T extends object>(stores: T): T => Object.assign(stores, { [PROCESS_LOCAL]: true })

/** Reports whether stores are visible to this process only. */
export const isProcessLocal = (stores: object | undefined): boolean =>
  stores !== undefined && Reflect.get(stores, PROCESS_LOCAL) === true
