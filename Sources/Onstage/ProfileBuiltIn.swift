/// The profiles that go with the program, so that it works where none of its files are installed.
///
/// The same texts as in hw-profiles/, which are looked for first; a test holds the two together.
enum ProfileBuiltIn {
    static let texts: [(name: String, text: String)] = [
        ("bench", bench), ("bench-kernel", benchKernel), ("generic", generic),
    ]

    private static let bench = """
        {
          "$schema": "schema.json",
          "name": "bench",
          "description": "No hardware: synthetic camera and motion, and a paced sink that writes what is heard to a WAV.",
          "camera": {
            "device": "synthetic",
            "width": 640,
            "height": 480,
            "framesPerSecond": 30
          },
          "accelerometer": { "device": "synthetic", "rate": "game" },
          "gyroscope": { "device": "synthetic", "rate": "game" },
          "playback": {
            "device": "synthetic",
            "recording": "bench.wav",
            "journal": "1s"
          }
        }

        """

    private static let benchKernel = """
        {
          "$schema": "schema.json",
          "name": "bench-kernel",
          "description": "The bench VM: vivid, accel_3d and gyro_3d fed through uhid, and snd-aloop.",
          "camera": {
            "device": "driver vivid",
            "width": 640,
            "height": 360
          },
          "accelerometer": { "device": "name accel_3d", "rate": "game" },
          "gyroscope": { "device": "name gyro_3d", "rate": "game" },
          "playback": {
            "device": "hw:CARD=Loopback,DEV=0",
            "bufferMilliseconds": 100,
            "pause": "exact",
            "journal": "1s"
          }
        }

        """

    private static let generic = """
        {
          "$schema": "schema.json",
          "name": "generic",
          "description": "The first camera, motion sensors and default sound of this machine; what is absent is waited for.",
          "camera": { "device": "any" },
          "accelerometer": { "device": "any", "rate": "game" },
          "gyroscope": { "device": "any", "rate": "game" },
          "playback": { "device": "default", "journal": "1s" }
        }

        """
}
