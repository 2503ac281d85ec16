/** A chart with filters: the view calls its own tool again. */
import { createServer } from 'portcall'
import { view } from 'portcall/apps/server'
import * as z from 'zod'

const REGIONS = ['All', 'North', 'South', 'West'] as const
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Sales in thousands of euros. A real server reads them from a database. */
function salesOf(year: number, region: (typeof REGIONS)[number]) {
  const share = { All: 1, North: 0.45, South: 0.2, West: 0.35 }[region]
  return MONTHS.map((month, index) => {
    const season = 1 + 0.35 * Math.sin((index + year + share * 9) / 1.9)
    return { month, sales: Math.round((year - 2000) * 4.1 * share * season) }
  })
}

export const server = createServer({ name: 'sales', version: '1.0.0' }).tool(
  'sales',
  {
    description: 'Sales of a year by month, in thousands of euros',
    input: z.object({ year: z.number().int().min(2022).max(2026).default(2026), region: z.enum(REGIONS).default('All') }),
    output: z.object({
      year: z.number(),
      region: z.enum(REGIONS),
      months: z.array(z.object({ month: z.string(), sales: z.number() })),
      previous: z.number(),
    }),
    view: view('./sales-view.ts', { title: 'Sales' }),
  },
  ({ year, region }) => ({
    year,
    region,
    months: salesOf(year, region),
    previous: salesOf(year - 1, region).reduce((sum, { sales }) => sum + sales, 0),
  }),
)
