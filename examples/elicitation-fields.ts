import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'conference', version: '1.0.0' })

const Registration = z.object({
  name: z.string().min(1).max(100).meta({ title: 'Full name' }),
  email: z.email().meta({ title: 'Email address' }),
  arrival: z.iso.date().meta({ title: 'Day of arrival' }),
  age: z.int().min(18).meta({ title: 'Age', description: 'You must be at least 18' }),
  vegetarian: z.boolean().default(false).meta({ title: 'Vegetarian meals' }),
  size: z
    .union([
      z.literal('s').meta({ title: 'Small' }),
      z.literal('m').meta({ title: 'Medium' }),
      z.literal('l').meta({ title: 'Large' }),
    ])
    .meta({ title: 'T-shirt' }),
  days: z
    .array(z.enum(['friday', 'saturday', 'sunday']))
    .min(1)
    .meta({ title: 'Days' }),
})

server.tool('register', { description: 'Register the user for the conference' }, async (_, call) => {
  const { name, email, days } = await call.elicit('Please fill in your registration', Registration)
  return `Registered ${name} for ${days.join(' and ')}. A ticket was sent to ${email}`
})
