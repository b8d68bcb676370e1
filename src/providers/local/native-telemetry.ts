/**
 * ONNX Runtime 1.30 for Node reports its sessions to its vendor unless this variable of the process stands at 1: it keeps a device id and
 * events in the user's cache folder and sends them. Nothing may leave the machine unasked, so it is switched off before the library is
 * loaded. Whoever has set the variable has decided. From a worker thread of the caller's a variable of the process cannot be set:
 * there it has to be set before the process starts.
 */
export function switchOffNativeTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY ??= '1'
}
