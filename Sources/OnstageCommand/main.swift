print("onstage")
