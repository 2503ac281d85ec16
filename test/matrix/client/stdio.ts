import { serveStdio } from 'portcall/stdio'
import { teeStdio } from '../../support/tee.ts'
import { createMatrixServer } from '../server/index.ts'

const [, , path = ''] = process.argv
teeStdio(path, () => void serveStdio(createMatrixServer()))
