/** Views without code for the browser: tables, charts, forms, questions and approvals, described in the options of their tools. */
import { createServer, ToolError } from 'portcall'
import { approvalView, chartView, choiceView, formView, tableView } from 'portcall/apps/server'
import * as z from 'zod'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const PARTS = ['Bolt', 'Bracket', 'Cable', 'Fan', 'Gear', 'Hinge', 'Lamp', 'Motor', 'Sensor', 'Valve']
const CITIES = ['Berlin', 'Lyon', 'Oslo', 'Porto', 'Turin']

const Revenue = z.object({ rows: z.array(z.object({ quarter: z.string(), desktop: z.number(), mobile: z.number() })) })
const Visits = z.object({ months: z.array(z.object({ month: z.string(), visits: z.number(), orders: z.number() })) })
const Shares = z.object({ tickets: z.array(z.object({ category: z.string(), count: z.number() })) })
const Member = z.object({ name: z.string(), role: z.string(), team: z.string(), started: z.iso.date(), status: z.string() })
const Part = z.object({ id: z.string(), part: z.string(), city: z.string(), stock: z.number(), price: z.number() })

const day = (year: number, month: number, date: number): string =>
  new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 'yyyy-mm-dd'.length)

/** The views of data: nothing in them calls a tool. */
export const server = createServer({ name: 'gallery', version: '1.0.0' })
  .tool(
    'revenue',
    { output: Revenue, view: chartView({ title: 'Revenue by quarter', x: 'quarter', stacked: true, unit: 'K€' }) },
    () => ({
      rows: [
        { quarter: 'Q1', desktop: 186, mobile: 80 },
        { quarter: 'Q2', desktop: 305, mobile: 200 },
        { quarter: 'Q3', desktop: 237, mobile: 120 },
        { quarter: 'Q4', desktop: 273, mobile: 190 },
      ],
    }),
  )
  .tool('visits', { output: Visits, view: chartView({ title: 'Visits and orders', type: 'line' }) }, () => ({
    months: MONTHS.map((month, index) => {
      const visits = Math.round(4200 + 1600 * Math.sin(index / 1.7) + 140 * index)
      return { month, visits, orders: Math.round(visits * (0.2 + 0.01 * index)) }
    }),
  }))
  .tool('tickets', { output: Shares, view: chartView({ title: 'Open tickets', type: 'pie' }) }, () => ({
    tickets: [
      { category: 'Bug', count: 23 },
      { category: 'Feature', count: 15 },
      { category: 'Question', count: 12 },
      { category: 'Security', count: 5 },
    ],
  }))
  .tool(
    'team',
    {
      output: z.object({ members: z.array(Member) }),
      view: tableView({ title: 'Team', columns: ['name', 'role', 'team', 'started', { key: 'status', kind: 'badge' }] }),
    },
    () => ({
      members: [
        { name: 'Alice Chen', role: 'Staff engineer', team: 'Platform', started: day(2021, 3, 1), status: 'Active' },
        { name: 'Bruno Keller', role: 'Designer', team: 'Product', started: day(2023, 9, 18), status: 'On leave' },
        { name: 'Chidi Okafor', role: 'Engineer', team: 'Platform', started: day(2024, 1, 8), status: 'Active' },
        { name: 'Dana Rossi', role: 'Engineering manager', team: 'Data', started: day(2019, 11, 25), status: 'Active' },
        { name: 'Emil Novák', role: 'Data scientist', team: 'Data', started: day(2022, 6, 13), status: 'Active' },
        { name: 'Fatima Haddad', role: 'Product manager', team: 'Product', started: day(2020, 2, 3), status: 'Remote' },
      ],
    }),
  )
  .tool(
    'inventory',
    {
      output: z.object({ parts: z.array(Part) }),
      view: tableView({
        title: 'Inventory',
        columns: [{ key: 'id', title: 'No.' }, 'part', 'city', 'stock', { key: 'price', digits: 2, unit: '€' }],
      }),
    },
    () => ({
      parts: Array.from({ length: 10_000 }, (_, index) => ({
        id: `P-${String(index + 1).padStart(5, '0')}`,
        part: `${PARTS[index % 10]} ${1 + ((index * 7) % 40)} mm`,
        city: CITIES[Math.floor(index / 10) % 5] ?? '',
        stock: (index * 37) % 900,
        price: ((index * 53) % 9000) / 100 + 0.5,
      })),
    }),
  )
  .tool('contact_form', { output: z.object({ name: z.string().optional() }), view: contactView() }, () => ({
    name: 'Ada Lovelace',
  }))
  .tool('save_contact', { input: contact(), output: z.object({ id: z.string() }), visibility: ['app'] }, ({ email }) => {
    if (email.endsWith('@example.com')) throw new ToolError('This address is known already')
    return { content: [{ type: 'text', text: 'The contact was saved' }], structuredContent: { id: 'C-17' } }
  })
  .tool(
    'propose_deployment',
    {
      input: z.object({ version: z.string() }),
      output: z.object({
        prompt: z.string(),
        service: z.string(),
        version: z.string(),
        changes: z.number(),
        downtime: z.string(),
      }),
      view: approvalView({ title: 'Deploy to production', approve: { tool: 'deploy', title: 'Deploy' }, include: ['version'] }),
    },
    ({ version }) => ({
      prompt: 'All tests have passed. The new version replaces the one that users have.',
      service: 'checkout',
      version,
      changes: 14,
      downtime: 'none',
    }),
  )
  .tool(
    'deploy',
    { input: z.object({ version: z.string() }), visibility: ['app'] },
    ({ version }) => `Version ${version} is live`,
  )
  .tool(
    'find_rooms',
    {
      output: z.object({
        prompt: z.string(),
        date: z.string(),
        rooms: z.array(z.object({ value: z.string(), title: z.string(), description: z.string() })),
      }),
      view: choiceView({ title: 'Meeting room', tool: 'book_room', argument: 'room', include: ['date'] }),
    },
    () => ({
      prompt: 'These rooms are free on Tuesday from 10 to 11.',
      date: day(2026, 12, 1),
      rooms: [
        { value: 'r1', title: 'Aquarium', description: '6 seats, screen' },
        { value: 'r2', title: 'Library', description: '12 seats, screen and whiteboard' },
        { value: 'r3', title: 'Attic', description: '4 seats' },
      ],
    }),
  )
  .tool(
    'book_room',
    { input: z.object({ room: z.string(), date: z.iso.date() }), visibility: ['app'] },
    ({ room, date }) => `Room ${room} is booked for ${date}`,
  )
  .tool(
    'pick_toppings',
    {
      output: z.object({ prompt: z.string(), toppings: z.array(z.string()) }),
      view: choiceView({ title: 'Pizza', multiple: true, submit: 'Order' }),
    },
    () => ({ prompt: 'What do you want on it?', toppings: ['Mushrooms', 'Olives', 'Onions', 'Peppers'] }),
  )

/** The input of `save_contact`, and so the fields of the form. */
function contact() {
  return z.object({
    name: z.string().min(2),
    email: z.email(),
    birthday: z.iso.date().optional(),
    employees: z.number().int().min(1).max(500).optional().describe('How many people work there'),
    plan: z.enum(['free', 'team', 'enterprise']).default('team'),
    interests: z.array(z.enum(['News', 'Events', 'Offers'])).optional(),
    notes: z.string().max(500).optional(),
    agreed: z.boolean().default(false),
  })
}

function contactView() {
  return formView({
    title: 'New contact',
    tool: 'save_contact',
    input: contact(),
    fields: { email: { placeholder: 'ada@lovelace.org' }, agreed: { title: 'We may write to this person' } },
    submit: 'Save contact',
  })
}
