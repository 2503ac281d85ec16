/** `portcall/tasks/bullmq`: an engine for tasks over BullMQ, on Redis or Valkey. */
export { type BullJob, type BullMQOptions, type BullQueue, type BullWorker, bullmq } from './tasks/bullmq.ts'
