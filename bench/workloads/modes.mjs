/** The titles of the modes in tables. */
export const MODE_TITLES = {
  http: {
    modern: 'HTTP, 2026-07-28',
    session: 'HTTP, 2025-11-25 with sessions',
    stateless: 'HTTP, 2025-11-25 without sessions',
  },
  stdio: { modern: 'stdio, 2026-07-28', session: 'stdio, 2025-11-25' },
}
