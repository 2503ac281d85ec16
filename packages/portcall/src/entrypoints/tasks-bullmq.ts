/** `portcall/tasks/bullmq`: a task queue on BullMQ, with Redis or Valkey. */
export { type BullJob, type BullMQOptions, type BullQueue, type BullWorker, bullmq } from '../tasks/queues/bullmq.ts'
