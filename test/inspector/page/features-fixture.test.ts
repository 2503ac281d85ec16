import { describeFeatures } from './support/features.ts'
import { FIXTURES } from './support/servers.ts'

describeFeatures(FIXTURES)
