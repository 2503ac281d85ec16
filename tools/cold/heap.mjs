/** Preloaded to measure: on SIGUSR2 prints to stderr how many bytes of heap are in use. */
process.on('SIGUSR2', () => {
  globalThis.gc()
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`)
})
