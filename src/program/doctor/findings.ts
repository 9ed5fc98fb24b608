/** What was found, for people. */
import type { Finding } from "../../bridge/messages/Channel.ts"

export const fine = (message: string): Finding => ({ level: "ok", message })
export const doubtful = (message: string, help: string): Finding => ({ level: "warning", message, help })
export const bad = (message: string, help: string): Finding => ({ level: "failure", message, help })
