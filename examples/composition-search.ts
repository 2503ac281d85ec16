import { createServer } from 'portcall'
import { toolSearch } from 'portcall/compose'

const CITIES = ['Amsterdam', 'Berlin', 'Lisbon', 'Madrid', 'Oslo', 'Paris', 'Prague', 'Rome', 'Vienna', 'Zurich']
const TOPICS = {
  weather: 'Weather forecast',
  events: 'Concerts and festivals',
  museums: 'Museums and their opening hours',
  transit: 'Departures of buses, trams and trains',
}

export const server = createServer({ name: 'city-guide', version: '1.0.0' })

for (const city of CITIES)
  for (const [topic, description] of Object.entries(TOPICS))
    server.tool(`${city.toLowerCase()}_${topic}`, { description: `${description} in ${city}` }, () => `${description}: ${city}`)

server.use(toolSearch())
