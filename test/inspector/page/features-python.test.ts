import { test } from 'vitest'
import { describeFeatures } from './support/features.ts'
import { PYTHON } from './support/servers.ts'

if (PYTHON.length > 0) describeFeatures(PYTHON)
else test.skip('the Python SDK cannot be installed here')
