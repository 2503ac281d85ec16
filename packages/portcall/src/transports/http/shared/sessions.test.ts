import { memory } from '../../../stores/memory.ts'
import { sharedSessionTests } from './sessions.test-kit.ts'

sharedSessionTests(memory)
