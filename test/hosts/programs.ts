import type { HostProgram } from './host-program.ts'
import { claudeCode } from './hosts/claude-code.ts'
import { codex } from './hosts/codex.ts'
import { geminiCli } from './hosts/gemini-cli.ts'
import { opencode } from './hosts/opencode.ts'

/** The hosts that run here. */
export const HOST_PROGRAMS: readonly HostProgram[] = [claudeCode, codex, geminiCli, opencode]
