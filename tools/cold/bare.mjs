process.stdin.once('data', () => process.stdout.write('{}\n'))
