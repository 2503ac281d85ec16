import { describeFeatures } from './support/features.ts'
import { OFFICIAL } from './support/servers.ts'

describeFeatures(OFFICIAL)
