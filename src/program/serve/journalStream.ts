/** Whether stdout goes into the journal of systemd, which others can read: there the key of the page is not printed. */
import { fstatSync } from "node:fs"

/** @param stream Of `JOURNAL_STREAM`: device and inode. */
export const isJournal = (stream: string | undefined, descriptor = 1): boolean => {
  if (stream === undefined || stream === "") return false
  const { dev, ino } = fstatSync(descriptor)
  return `${dev}:${ino}` === stream
}
