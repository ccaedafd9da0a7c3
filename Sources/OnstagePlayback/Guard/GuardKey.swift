/// Which card a guard is known of, at which rate.
package struct GuardKey: Hashable, Sendable {
    /// The kernel's driver ("snd_hda_intel", "snd-usb-audio").
    package var driver: String
    /// The card's ID.
    package var card: String
    package var rate: Int

    package init(driver: String, card: String, rate: Int) {
        self.driver = driver
        self.card = card
        self.rate = rate
    }
}
