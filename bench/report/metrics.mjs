const grouped = (value) => Math.round(value).toLocaleString('en')

/** Formats a number with its significant digits. */
const short = (value) => (value >= 100 ? grouped(value) : value.toPrecision(value >= 10 ? 3 : 2))

/** The metrics of samples: the title of the column, the unit, and the format. */
export const METRICS = {
  perSecond: { title: 'req/s', unit: 'requests a second', show: short },
  p50: { title: 'p50 ms', unit: 'ms', show: short },
  p99: { title: 'p99 ms', unit: 'ms', show: short },
  callMs: { title: 'ms / call', unit: 'ms', show: short },
  cpuMs: { title: 'CPU ms / call', unit: 'ms', show: short },
  notificationsPerSecond: { title: 'notifications/s', unit: 'notifications a second', show: short },
  cpuMsPerMB: { title: 'CPU ms / MB', unit: 'ms', show: short },
  heldKB: { title: 'KB kept', unit: 'KB', show: short },
  peakMB: { title: 'peak MB', unit: 'MB', show: short },
  cpuPer1000: { title: 'CPU s / 1000', unit: 's', show: short },
  instantiations: { title: 'instantiations', unit: 'instantiations', show: short },
  checkSeconds: { title: 'check s', unit: 's', show: short },
  heapKB: { title: 'heap KiB each', unit: 'KiB', show: short },
  residentKB: { title: 'resident KiB each', unit: 'KiB', show: short },
  baseMB: { title: 'MiB before', unit: 'MiB', show: short },
  firstMs: { title: 'first answer ms', unit: 'ms', show: short },
  paintMs: { title: 'painted ms', unit: 'ms', show: short },
  startCpuMs: { title: 'CPU ms', unit: 'ms', show: short },
  wholeMs: { title: 'whole ms', unit: 'ms', show: short },
  wholeCpuMs: { title: 'whole CPU ms', unit: 'ms', show: short },
  importMs: { title: 'import ms', unit: 'ms', show: short },
  heapMB: { title: 'heap MiB', unit: 'MiB', show: short },
  bundleKB: { title: 'bundle KiB, gzip', unit: 'KiB', show: short },
  installMB: { title: 'installed MiB', unit: 'MiB', show: short },
  capacity: { title: 'req/s with a core each', unit: 'requests a second', show: short },
  storePerSecond: { title: 'store operations/s', unit: 'operations a second', show: short },
  logPerSecond: { title: 'log operations/s', unit: 'operations a second', show: short },
  sessionPerSecond: { title: 'session calls/s', unit: 'calls a second', show: short },
  taskPerSecond: { title: 'tasks/s', unit: 'tasks a second', show: short },
  readyMs: { title: 'ready ms', unit: 'ms', show: short },
  residentMB: { title: 'MiB after', unit: 'MiB', show: short },
  processes: { title: 'processes', unit: 'processes', show: short },
  idleMB: { title: 'idle MiB', unit: 'MiB', show: short },
}
