/** Preloaded for measurements: prints the used heap in bytes to stderr on SIGUSR2. */
process.on('SIGUSR2', () => {
  globalThis.gc()
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`)
})
