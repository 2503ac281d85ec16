import { serveStdio } from 'portcall/stdio'
import { createShop } from './create-shop.ts'

await serveStdio(createShop('program'))
